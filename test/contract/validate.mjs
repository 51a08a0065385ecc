// Run as a child by document.test.ts, because Jest cannot load ES modules: what the OpenAPI Initiative's own schema says of a
// document, as JSON.
import { Validator } from '@seriousme/openapi-schema-validator';

const [, , file = ''] = process.argv;
const validator = new Validator();
const { valid, errors } = await validator.validate(file);
process.stdout.write(JSON.stringify({ valid, errors, version: validator.version }));
