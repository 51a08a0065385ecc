// Lets Node run TypeScript: `node --require ./src/dev/typescript.cjs FILE`. It compiles each of our
// files by swc, as Jest does, without checking types. Packages are loaded as they are, which tsx
// does not do: it reads each of them for ES modules, half of the time in which a program starts.
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

const OPTIONS = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

process.setSourceMapsEnabled(true);

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...OPTIONS, filename });
  module._compile(code, filename);
};
