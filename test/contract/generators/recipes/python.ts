// openapi-python-client, and what all clients in Python have in common.
import { CONTRACT, type Command, type Recipe } from '../recipe';

export const MYPY = 'mypy==2.4.1';

export function inPython(program: string) {
  return {
    programs: { [program]: 'call.py', 'signed_request.py': 'signed_request.py' },
    signing: 'create_intent.py',
  };
}

/** Compiles every file and imports all models, then checks the types of the program. */
export function checkPython(python: string): readonly Command[] {
  return [
    [python, '-W', 'error::SyntaxWarning', '-m', 'compileall', '-q', '.'],
    [python, '-m', 'mypy', '--follow-imports', 'silent', 'call.py'],
  ];
}

export function openapiPythonClient(version: string): Recipe {
  return {
    generator: 'openapi-python-client',
    client: 'Python (httpx)',
    version,
    tools: {
      pip: { kind: 'pip', packages: [`openapi-python-client==${version}`, MYPY] },
    },
    ...inPython('openapi-python-client.py'),
    files: { 'config.yml': 'package_name_override: client\npost_hooks: []\n' },
    steps: ({ pip = '' }) => ({
      generate: [
        ...[pip, '-m', 'openapi_python_client', 'generate', '--path', CONTRACT],
        ...['--meta', 'none', '--config', 'config.yml'],
      ],
      compile: checkPython(pip),
      call: [pip, 'call.py'],
    }),
  };
}
