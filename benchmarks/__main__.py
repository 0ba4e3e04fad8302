"""Every benchmark, each in a process of its own."""

import subprocess
import sys

for name in ("import_cases", "report_page", "million", "desk", "bootstrap", "throughput"):
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
