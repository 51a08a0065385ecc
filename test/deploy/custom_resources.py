"""Validates manifests of one kind against the schema of its CustomResourceDefinition.

Usage: custom_resources.py DEFINITION MANIFEST...   Prints how many of that kind are valid; exits 1
if one is not. Unlike a cluster, which drops members that the schema does not know, it rejects them.
"""

import sys

import jsonschema
import yaml


def strict(schema):
    """The schema with unknown members rejected where it lists the known ones."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and "additionalProperties" not in made:
        if not made.get("x-kubernetes-preserve-unknown-fields"):
            made["additionalProperties"] = False
    return made


def main(definition, *manifests):
    with open(definition, encoding="utf-8") as file:
        spec = yaml.safe_load(file)["spec"]
    version = next(each for each in spec["versions"] if each["storage"])
    schema = strict(version["schema"]["openAPIV3Schema"])
    # The definition leaves the members of metadata to the cluster.
    schema["properties"]["metadata"] = {"type": "object"}
    validator = jsonschema.Draft7Validator(schema)
    valid = 0
    for name in manifests:
        with open(name, encoding="utf-8") as file:
            documents = [each for each in yaml.safe_load_all(file) if each]
        for document in documents:
            if document["kind"] != spec["names"]["kind"]:
                continue
            errors = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
            if errors:
                sys.exit(f"{name}: {'; '.join(errors)}")
            valid += 1
    print(valid)


main(*sys.argv[1:])
