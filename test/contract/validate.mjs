// Validates a document against the OpenAPI Initiative's own schema and prints the result as JSON.
// document.test.ts runs it as a child process, because Jest cannot load ES modules.
import { Validator } from '@seriousme/openapi-schema-validator';

const [, , file = ''] = process.argv;
const validator = new Validator();
const { valid, errors } = await validator.validate(file);
process.stdout.write(JSON.stringify({ valid, errors, version: validator.version }));
