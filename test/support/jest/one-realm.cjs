// Jest's environment of Node, in the realm of the process instead of a realm for each test file:
// an error of a package that shared-packages.cjs has loaded is an Error in every file.
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');

/** The contexts whose modules are compiled in the realm of the process. */
const replaced = new WeakSet();
const { compileFunction } = vm;

// Jest's runtime has no other door: it compiles every module by this function.
vm.compileFunction = (source, names, options = {}) => {
  const { parsingContext, ...rest } = options;
  const isReplaced = parsingContext !== undefined && replaced.has(parsingContext);
  return compileFunction(source, names, isReplaced ? rest : options);
};

module.exports = class OneRealm extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} args */
  constructor(...args) {
    super(...args);
    if (this.context !== null) replaced.add(this.context);
    this.global = globalThis;
    const [{ projectConfig: config }] = args;
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }
};
