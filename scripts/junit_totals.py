"""Prints "passed failed skipped" of a JUnit report. Exits 1 where the report is missing or holds no test."""

import sys
import xml.etree.ElementTree as ElementTree

cases = list(ElementTree.parse(sys.argv[1]).getroot().iter("testcase"))
failed = sum(case.find("failure") is not None or case.find("error") is not None for case in cases)
skipped = sum(case.find("skipped") is not None or case.get("status") == "notrun" for case in cases)
print(len(cases) - failed - skipped, failed, skipped)
sys.exit(0 if cases else 1)
