// Jest's runtime loads each package anew for each test file: a third of the time of all tests. Here
// a process loads a package once, by Node's own require. Our own modules stay separate.
const { createRequire } = require('node:module');
const { sep } = require('node:path');
const { default: Runtime } = require('jest-runtime');

const PACKAGES = `${sep}node_modules${sep}`;

module.exports = class SharedPackages extends Runtime {
  /**
   * @param {string} from
   * @param {string} name
   * @returns {unknown}
   */
  requireModuleOrMock(from, name) {
    const path = pathOf(from, name);
    return path?.includes(PACKAGES) ? require(path) : super.requireModuleOrMock(from, name);
  }
};

/**
 * @param {string} from
 * @param {string} name
 * @returns {string | undefined} undefined where Jest has to say what is missing
 */
function pathOf(from, name) {
  try {
    return name.startsWith('@jest/') ? undefined : createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
