// Lints texts as if they stood at the given paths, all in one process since the types take their time to load.
// Standard input: [{ filePath, text }]; standard output: for each its list of { rule, line }.
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';

const eslint = new ESLint();
const fixtures = JSON.parse(await text(process.stdin));
const found = [];
for (const fixture of fixtures) {
  const [result] = await eslint.lintText(fixture.text, { filePath: fixture.filePath });
  found.push(result?.messages.map(({ ruleId: rule, line }) => ({ rule, line })) ?? []);
}
process.stdout.write(JSON.stringify(found));
