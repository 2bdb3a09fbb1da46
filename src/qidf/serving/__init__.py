"""How do others ask? The local web page with its JSON API, and what every server here obeys.

What belongs here: turning requests into calls of the package, and keeping out whom they are not
meant for. A new server goes in a folder of its own and puts its application behind `guard.Guard`.
"""
