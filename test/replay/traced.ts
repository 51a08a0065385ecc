// A recorded history with the headers and marks that tracing would have added (decision 140). So a
// replay runs the interceptors, which wait where the plain workflows do not, on every way that a
// payment can go.
import type { RecordedHistory } from './histories';

const CONTEXT = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const HEADER = {
  fields: {
    '_tracer-data': {
      metadata: { encoding: base64('json/plain') },
      data: base64(JSON.stringify(CONTEXT)),
    },
  },
};
/** The SDK's marks of the interceptors' versions; without them it replays as an older version. */
const FLAGS = [3, 4, 5, 6];

type Attributes = Readonly<Record<string, unknown>>;

export function asIfTraced({ events }: RecordedHistory): RecordedHistory {
  return { events: events.map((event) => mapMembers(event)) };
}

function mapMembers<Part extends object>(part: Part): Part {
  const mapped = Object.entries(part).map(([name, value]: [string, unknown]) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [name, isObject ? (MAPPED[name] ?? mapMembers)(value as Attributes) : value];
  });
  return Object.fromEntries(mapped) as Part;
}

const withHeader = (attributes: Attributes) => ({ ...mapMembers(attributes), header: HEADER });

const MAPPED: Readonly<Record<string, (attributes: Attributes) => Attributes>> = {
  workflowExecutionStartedEventAttributes: withHeader,
  workflowExecutionSignaledEventAttributes: withHeader,
  /** Of an update. */
  input: (input) => ('name' in input ? withHeader(input) : input),
  workflowTaskCompletedEventAttributes: (attributes) => ({
    ...attributes,
    sdkMetadata: {
      ...(attributes['sdkMetadata'] as object | undefined),
      langUsedFlags: [...langFlagsOf(attributes), ...FLAGS],
    },
  }),
};

function langFlagsOf({ sdkMetadata }: Attributes): readonly number[] {
  const { langUsedFlags = [] } = (sdkMetadata ?? {}) as {
    readonly langUsedFlags?: readonly number[];
  };
  return langUsedFlags.filter((flag) => !FLAGS.includes(flag));
}
