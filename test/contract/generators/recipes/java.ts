// openapi-generator, which makes clients in many languages: its client in Java.
import { join } from 'node:path';
import { CONTRACT, type Recipe } from '../recipe';

/** What the client needs, in the versions of its pom.xml. */
const LIBRARIES = [
  ...['okhttp', 'logging-interceptor'].map((name) => `com.squareup.okhttp3:${name}:4.12.0`),
  'com.squareup.okio:okio-jvm:3.6.0',
  'org.jetbrains.kotlin:kotlin-stdlib:1.8.21',
  'com.google.code.gson:gson:2.10.1',
  'io.gsonfire:gson-fire:1.9.0',
  'com.google.code.findbugs:jsr305:3.0.2',
  'jakarta.annotation:jakarta.annotation-api:1.3.5',
];

export function openapiGenerator(version: string): Recipe {
  return {
    generator: 'openapi-generator',
    version,
    client: 'Java (OkHttp)',
    tools: {
      jar: { kind: 'maven', packages: [`org.openapitools:openapi-generator-cli:${version}`] },
      java: { kind: 'maven', packages: LIBRARIES },
    },
    programs: { 'Call.java': 'Call.java' },
    signing: 'CreateIntent.java',
    files: {},
    steps: (tools) => {
      const classes = `classes:${tools['java'] ?? ''}/*`;
      const compile = `javac -nowarn -d classes -cp '${classes}' $(find client/src/main -name '*.java') *.java`;
      const program = join(tools['jar'] ?? '', '*');
      return {
        generate: [
          ...['java', '-cp', program, 'org.openapitools.codegen.OpenAPIGenerator', 'generate'],
          ...['-i', CONTRACT, '-g', 'java', '-o', 'client'],
        ],
        compile: [['bash', '-c', compile]],
        call: ['java', '-cp', classes, 'Call'],
      };
    },
  };
}
