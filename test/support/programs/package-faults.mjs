// Prints the faults that publint and "are the types wrong?" find in a packed package, as one JSON
// list of texts. Both are ES modules. Usage: node package-faults.mjs FOLDER TARBALL
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';

const [folder, tarball] = process.argv.slice(2);
const { messages } = await publint({ pkgDir: folder, strict: true });
const { types, problems } = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
const faults = [...messages, ...(types === false ? ['the package has no types'] : problems)];
process.stdout.write(JSON.stringify(faults.map((fault) => JSON.stringify(fault))));
