// Reads a Content-Type that has to declare JSON in UTF-8 (RFC 9110, section 8.3). Parameters other
// than `charset` are ignored.

const TYPE = /^application\/json[\t ]*$/i;
/** Empty, or a name and its value. A match never tries a second reading, whatever the text. */
const PARAMETER = /;[\t ]*(?:([!#-'*+.^`|~\w-]+)=([!#-'*+.^`|~\w-]+|"(?:[^"\\]|\\.)*"))?[\t ]*/gy;
const UTF_8 = /^"?utf-?8"?$/i;

/** A sentence that names the wrong part; undefined if none is. */
export function faultOfJsonType(contentType: string): string | undefined {
  const [type = ''] = /^[^;]*/.exec(contentType) ?? [];
  if (!TYPE.test(type)) return 'Content-Type must be application/json.';
  const parameters = [...contentType.slice(type.length).matchAll(PARAMETER)];
  if (parameters.some(isOtherCharset)) return 'The charset in Content-Type must be UTF-8.';
  const understood = type + parameters.map(([text]) => text).join('');
  if (understood === contentType) return undefined;
  return 'Content-Type has a malformed parameter. Expected name=value.';
}

function isOtherCharset([, name, value = '']: RegExpExecArray): boolean {
  return name?.toLowerCase() === 'charset' && !UTF_8.test(value);
}
