// A connection string of Postgres with several hosts, as libpq takes it:
// postgres://user:password@one:5432,two:5432/name?target_session_attrs=read-write

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^@/?]+)(.*)$/;

/** One connection string for each host, in order. */
export function connectionStrings(url: string): readonly string[] {
  const [, start = '', hosts = '', end = ''] = PARTS.exec(url) ?? [];
  const each = hosts.split(',');
  return each.length === 1 ? [url] : each.map((host) => start + host + end);
}
