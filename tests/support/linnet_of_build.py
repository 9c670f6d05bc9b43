"""Makes `import linnet` find the Python package of the build under test."""

import sys

from locations import BUILD

sys.path.append(str(BUILD / "python"))
