// The address of the Temporal server that Jest's global setup has started.

export function temporalAddress(): string {
  const address = process.env['TEST_TEMPORAL_ADDRESS'];
  if (address === undefined)
    throw new Error('TEST_TEMPORAL_ADDRESS is not set: global-setup.ts did not run');
  return address;
}
