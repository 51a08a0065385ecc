// Lints texts as files at the given paths, all in one process, because loading the types is slow.
// Standard input: [{ filePath, text }]. Standard output: a list of { rule, line } for each text.
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
