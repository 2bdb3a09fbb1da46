"""A proxy before OpenSearch or Elasticsearch: clients change the port and nothing else.

[routes](routes.py) says which requests are searches, [bodies](bodies.py) rewrites their bodies and
leaves every other byte alone, [upstream](upstream.py) asks the server for counts with the eyes of
who asks ([identity](identity.py)), [passing](passing.py) sends requests on and streams answers
back, and [server](server.py) puts them together behind the checks of `qidf.admission`.
"""
