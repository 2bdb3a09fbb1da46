"""A proxy before OpenSearch or Elasticsearch: clients change the port and nothing else.

[routes](routes.py) says which requests are searches, [bodies](bodies.py) rewrites their bodies and
leaves every other byte alone, [upstream](upstream.py) asks the server for counts, and
[server](server.py) passes everything through in both directions as it comes.
"""
