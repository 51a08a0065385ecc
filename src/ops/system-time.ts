// The one place where payctl reads the clock of its own machine; whatever is stored takes the time from Postgres.

export function systemTime(): Date {
  return new Date();
}
