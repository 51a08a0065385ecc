// What Node's parser refuses before the application sees a request, as what its sender is told (decision 24). Node's own
// rejections would not be in the envelope.
import { DomainError } from '../src/domain/errors';
import { HEADER_MAX_BYTES } from '../src/domain/limits';

/** As `clientError` has it; the packet is the one in which the parser stopped. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

const DETAILS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: `The headers are larger than ${String(HEADER_MAX_BYTES)} bytes.`,
};

/** The second is that of a method that Node knows from protocols beside HTTP. */
const UNKNOWN_METHOD_CODES: readonly string[] = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT'];

/** A whole request line (RFC 9112, section 3): with one of those codes nothing but its method can be at fault. */
const REQUEST_LINE = /^(?:\r\n)?[!#$%&'*+.^_`|~0-9A-Za-z-]+ [\x21-\x7e]+ HTTP\/1\.[01]\r\n/;

export function toRejection({ code = '', rawPacket }: ParserError): DomainError {
  if (UNKNOWN_METHOD_CODES.includes(code) && isRequest(rawPacket)) {
    return new DomainError('not_found');
  }
  const detail = DETAILS[code] ?? 'The request is not HTTP.';
  return new DomainError('validation_failed', { detail });
}

/** A line in several packets is not put together again: that is told "not HTTP", which is as safe. */
function isRequest(packet: Buffer | undefined): boolean {
  return packet !== undefined && REQUEST_LINE.test(packet.toString('latin1'));
}
