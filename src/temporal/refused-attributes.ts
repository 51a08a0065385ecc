// Starts workflows without the search attributes that their namespace refuses (decision 137), and
// names these in a memo: the workflow does not write them either.
import type { CompiledWorkflowOptions, WorkflowClientInterceptor } from '@temporalio/client';
import { OMITTED_ATTRIBUTES } from '../../workflows/messages/messages';
import type { Log } from '../ports/observe';
import { hasGrpcCode } from './grpc-codes';
import { SEARCH_ATTRIBUTES } from './search-attributes';

/**
 * A refused start has started nothing, so it is repeated without what the server named. What was
 * refused once is omitted until the process restarts.
 */
export function omitRefusedAttributes(log?: Pick<Log, 'warn'>): WorkflowClientInterceptor {
  const refused = new Set<string>();
  const start = async <Result>(
    options: CompiledWorkflowOptions,
    send: (options: CompiledWorkflowOptions) => Promise<Result>,
  ): Promise<Result> => {
    const accepted = without(options, refused);
    try {
      return await send(accepted);
    } catch (error) {
      const named = namesRefusedBy(error).filter((name) => namesIn(accepted).includes(name));
      if (named.length === 0) throw error;
      // Another start at the same time may have been refused before.
      const fresh = named.filter((name) => !refused.has(name));
      for (const name of fresh) refused.add(name);
      if (fresh.length > 0) {
        log?.warn(
          { err: error, search_attributes: fresh },
          'workflows start without search attributes that the namespace refuses; run prepare-temporal, then restart',
        );
      }
      return start(options, send);
    }
  };
  return {
    startWithDetails: (input, next) =>
      start(input.options, (options) => next({ ...input, options })),
    signalWithStart: (input, next) =>
      start(input.options, (options) => next({ ...input, options })),
    startUpdateWithStart: (input, next) =>
      start(input.workflowStartOptions, (workflowStartOptions) =>
        next({ ...input, workflowStartOptions }),
      ),
  };
}

function without(
  options: CompiledWorkflowOptions,
  refused: ReadonlySet<string>,
): CompiledWorkflowOptions {
  if (refused.size === 0) return options;
  const accepted = attributesOf(options).filter(({ key }) => !refused.has(key.name));
  const memo = { ...options.memo, [OMITTED_ATTRIBUTES]: [...refused] };
  return { ...options, typedSearchAttributes: accepted, memo };
}

function namesIn(options: CompiledWorkflowOptions): readonly string[] {
  return attributesOf(options).map(({ key }) => key.name);
}

/** All our starts give a list. */
function attributesOf({ typedSearchAttributes: given }: CompiledWorkflowOptions) {
  return Array.isArray(given) ? given : [];
}

/** Our attributes that are named in the server's message. */
function namesRefusedBy(error: unknown): readonly string[] {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error) || !hasGrpcCode(cause, 'INVALID_ARGUMENT')) return [];
  const names = SEARCH_ATTRIBUTES.map(({ name }) => name);
  return names.filter((name) => cause.message.includes(name));
}
