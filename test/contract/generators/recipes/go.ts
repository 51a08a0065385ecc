// oapi-codegen, and what all clients in Go have in common.
import { join } from 'node:path';
import { CONTRACT, type Command, type Recipe } from '../recipe';

export function inGo(program: string) {
  return {
    programs: { [program]: 'call.go', 'signed_transport.go': 'signed_transport.go' },
    signing: 'create_intent.go',
    files: { 'go.mod': 'module partner\n\ngo 1.21\n' },
  };
}

export const BUILD_GO: Command = ['go', 'build', '-o', 'call', '.'];
export const CALL_GO: Command = ['./call'];

/** @param runtime the version of the module that its clients import */
export function oapiCodegen(version: string, runtime: string): Recipe {
  const program = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${version}`;
  const { files, ...common } = inGo('oapi-codegen.go');
  return {
    generator: 'oapi-codegen',
    client: 'Go',
    version,
    tools: { go: { kind: 'go', packages: [program] } },
    ...common,
    // Its default drops each model that no path refers to, such as the event of a webhook.
    files: { ...files, 'client/.keep': '' },
    steps: (tools) => ({
      generate: [
        ...[join(tools['go'] ?? '', 'program'), '-package', 'client', '-o', 'client/client.go'],
        ...['-generate', 'types,client,skip-prune', CONTRACT],
      ],
      compile: [['go', 'get', `github.com/oapi-codegen/runtime@v${runtime}`], BUILD_GO],
      call: CALL_GO,
    }),
  };
}
