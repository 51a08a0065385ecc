// Formats a time in the payer's language and time zone.

export function formatTime(time: Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(
    time,
  );
}
