// Maps errors of Node's HTTP parser to rejections (decision 24): Node's own responses would not be
// in our error envelope.
import { DomainError } from '../src/domain/errors';
import { HEADER_MAX_BYTES } from '../src/domain/limits';

/** The error of the `clientError` event; the packet is the one in which the parser stopped. */
export interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
}

const DETAILS: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: `The headers are larger than ${String(HEADER_MAX_BYTES)} bytes.`,
};

/** Node reports the second code for methods that it knows from protocols other than HTTP. */
const UNKNOWN_METHOD_CODES: readonly string[] = ['HPE_INVALID_METHOD', 'HPE_INVALID_CONSTANT'];

/**
 * A complete request line (RFC 9112, section 3). With a code above, only its method can be wrong.
 */
const REQUEST_LINE = /^(?:\r\n)?[!#$%&'*+.^_`|~0-9A-Za-z-]+ [\x21-\x7e]+ HTTP\/1\.[01]\r\n/;

export function toRejection({ code = '', rawPacket }: ParserError): DomainError {
  if (UNKNOWN_METHOD_CODES.includes(code) && isRequest(rawPacket)) {
    return new DomainError('not_found');
  }
  const detail = DETAILS[code] ?? 'The request is not valid HTTP.';
  return new DomainError('validation_failed', { detail });
}

/** A request line split over packets is not reassembled. It is answered "not HTTP" instead. */
function isRequest(packet: Buffer | undefined): boolean {
  return packet !== undefined && REQUEST_LINE.test(packet.toString('latin1'));
}
