"""Every experiment of the paper as a function of datasets, with the paper's figures beside ours.

What belongs here: questions about the method that data answers. Measuring is evaluation's.

To add a study, write experiments/<name>.py with a frozen `Study` (name, title, the paper's table,
a question, `run`) and list it in catalogue.py. `run` is given a `Workbench`:

- `bench.subjects()` are the datasets in the paper's order, Python in both forms of its queries;
  `bench.code()` leaves text sets out; `bench.sources` are the datasets as named, tasks of many
  collections included (`source.open()`);
- `bench.measure(subject, systems, size=, analyzer=)` gives per-query values, remembered on disk;
  `.mean(system)`, `.best(systems)` and `.compare(systems)` say what came of it;
- `bench.track(items, name)` shows progress; `bench.store` remembers anything else under a key.

It returns `Findings`: tables (tables.py), figures as data (figures.py), notes. Pages, CSV files,
pictures and the cache are the framework's. Figures of the paper go into paper.py. What `run`
returns has to depend on nothing but the data and the settings, or reruns would differ; a study
that measures time says so with `timed=True` and is never remembered. A study that needs data of
some kind says what is missing with `lacks=`, and `qidf study all` goes on without it.
"""

from qidf.studies.catalogue import STUDIES, find_study, run_study
from qidf.studies.figures import Figure, Panel, Series
from qidf.studies.report import write_report, write_study
from qidf.studies.sources import Source, Subject
from qidf.studies.store import Store, default_folder
from qidf.studies.study import Findings, Study
from qidf.studies.tables import Column, Table, table
from qidf.studies.workbench import Measured, Progress, Workbench

__all__ = [
    "STUDIES",
    "Column",
    "Figure",
    "Findings",
    "Measured",
    "Panel",
    "Progress",
    "Series",
    "Source",
    "Store",
    "Study",
    "Subject",
    "Table",
    "Workbench",
    "default_folder",
    "find_study",
    "run_study",
    "table",
    "write_report",
    "write_study",
]
