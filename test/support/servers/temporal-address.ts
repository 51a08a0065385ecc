// The Temporal server that Jest's global setup started.

export function temporalAddress(): string {
  const address = process.env['TEST_TEMPORAL_ADDRESS'];
  if (address === undefined) throw new Error('global-setup.ts has started no Temporal server');
  return address;
}
