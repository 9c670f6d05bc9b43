"""Prints "passed failed skipped" of a JUnit report, then the names of the failed tests, one per line.

Exits with 1 if the report is missing or contains no test.
"""

import sys
import xml.etree.ElementTree as ElementTree

cases = list(ElementTree.parse(sys.argv[1]).getroot().iter("testcase"))
failed = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
skipped = sum(case.find("skipped") is not None or case.get("status") == "notrun" for case in cases)
print(len(cases) - len(failed) - skipped, len(failed), skipped)
for case in failed:
    print(f"{case.get('classname')}.{case.get('name')}")
sys.exit(0 if cases else 1)
