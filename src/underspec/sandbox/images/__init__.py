"""Images: root trees with a digest, made by a recipe or taken from a Docker image, shared by both backends."""
