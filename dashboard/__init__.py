"""What a person opens: the command and the pages."""
