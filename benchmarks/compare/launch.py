"""usage: launch.py CPUS REPORT COMMAND...

Runs a command on the processors CPUS (3,5) only and writes its peak resident memory in KiB to the file REPORT. It is
a separate process, because Linux counts the memory of a command's parent as the command's own peak: this one is small.
"""

import os
import sys

if __name__ == "__main__":
    cpus, report, *command = sys.argv[1:]
    os.sched_setaffinity(0, set(map(int, cpus.split(","))))
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    with open(report, "w") as file:
        file.write(str(usage.ru_maxrss))
    sys.exit(abs(os.waitstatus_to_exitcode(status)))
