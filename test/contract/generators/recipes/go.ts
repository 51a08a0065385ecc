// oapi-codegen, the client of Go.
import { join } from 'node:path';
import { CONTRACT, type Recipe } from '../recipe';

/** @param runtime the version of the module that its clients import */
export function oapiCodegen(version: string, runtime: string): Recipe {
  const program = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${version}`;
  return {
    generator: 'oapi-codegen',
    client: 'Go',
    version,
    tools: { go: { kind: 'go', packages: [program] } },
    programs: { 'oapi-codegen.go': 'call.go', 'signed_transport.go': 'signed_transport.go' },
    signing: 'create_intent.go',
    files: { 'go.mod': 'module partner\n\ngo 1.21\n', 'client/.keep': '' },
    steps: (tools) => ({
      generate: [
        ...[join(tools['go'] ?? '', 'program'), '-package', 'client', '-o', 'client/client.go'],
        ...['-generate', 'types,client', CONTRACT],
      ],
      compile: [
        ['go', 'get', `github.com/oapi-codegen/runtime@v${runtime}`],
        ['go', 'build', '-o', 'call', '.'],
      ],
      call: ['./call'],
    }),
  };
}
