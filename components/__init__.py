"""What a dashboard, a notebook or an export is made of: computed per interaction."""
