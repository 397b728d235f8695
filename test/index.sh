#!/bin/sh
# The index of faults: test/README.md must have a line for each of the 89 rows of FAILURES.md, and
# each test that it names must exist.
#
# A line is `| row | fault | tests |`; a test is `file` or `file:name`, where name stands in that file.
cd "$(dirname "$0")" || exit 1
rows=89
awk -v rows="$rows" '
  /^\| *[0-9]+ *\|/ {
    split($0, cell, "|")
    row = cell[2] + 0
    if (seen[row]++) { print "row " row " stands twice"; bad = 1 }
    n = split(cell[4], tests, "`")
    named = 0
    for (i = 2; i <= n; i += 2) {
      named++
      colon = index(tests[i], ":")
      file = colon ? substr(tests[i], 1, colon - 1) : tests[i]
      name = colon ? substr(tests[i], colon + 1) : ""
      found = 0
      readable = 0
      while ((getline line < file) > 0) {
        readable = 1
        if (name == "" || index(line, name)) { found = 1; break }
      }
      close(file)
      if (!readable) { print "row " row ": there is no test/" file; bad = 1 }
      else if (!found) { print "row " row ": test/" file " has no " name; bad = 1 }
      count++
    }
    if (!named) { print "row " row " names no test"; bad = 1 }
  }
  END {
    for (r = 1; r <= rows; r++) if (!(r in seen)) { print "row " r " is missing"; bad = 1 }
    if (!bad) print "ran: " rows " rows, " count " tests named"
    exit bad
  }' README.md
