"""What does this index answer, and why? A local page and the JSON API beside it.

What belongs here: the questions of the API, what answers them, and the page's assets. A new
question goes into `questions.py`, its route into `application.py`, its shape into `description.py`;
a test asks every route whether it keeps to that description.
"""

from qidf.serving.listening import bind, serve
from qidf.serving.web.application import create_application
from qidf.serving.web.collection import Collection, of_repository, open_collection

__all__ = ["Collection", "bind", "create_application", "of_repository", "open_collection", "serve"]
