/** Texts of webhook endpoints and events. */
export const WEBHOOKS = {
  endpointIn: { 1: 'Sandbox endpoint', 2: 'Production endpoint' } as Readonly<Record<number, string>>,
  signs: 'The supplier needs it to verify webhooks. Send it over a secure channel.',
  disableEffect: (name: string, pending: string) =>
    `Stops sending webhooks to ${name}. ${pending} ${pending.startsWith('1 ') ? 'stays' : 'stay'} pending. New events are never delivered.`,
  enableEffect: (name: string, pending: string) =>
    `Sends webhooks to ${name} again: ${pending}, unless older than 24 hours.`,
  testEffect: (submission: string) =>
    `Sends the current status of ${submission} to the supplier as an ordinary event.`,
} as const;
