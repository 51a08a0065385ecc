// openapi-python-client, the client of Python.
import { CONTRACT, type Recipe } from '../recipe';

const PACKAGE = 'partner-payment-intent-api-client';

export function openapiPythonClient(version: string): Recipe {
  return {
    generator: 'openapi-python-client',
    client: 'Python (httpx)',
    version,
    tools: {
      pip: { kind: 'pip', packages: [`openapi-python-client==${version}`, 'mypy==2.4.1'] },
    },
    programs: { 'openapi-python-client.py': 'call.py', 'signed_request.py': 'signed_request.py' },
    signing: 'create_intent.py',
    files: {},
    steps: ({ pip = '' }) => ({
      generate: [pip, '-m', 'openapi_python_client', 'generate', '--path', CONTRACT],
      compile: [
        [pip, '-W', 'error::SyntaxWarning', '-m', 'compileall', '-q', '.'],
        ['env', `MYPYPATH=${PACKAGE}`, pip, '-m', 'mypy', '--follow-imports', 'silent', 'call.py'],
      ],
      call: ['env', `PYTHONPATH=${PACKAGE}`, pip, 'call.py'],
    }),
  };
}
