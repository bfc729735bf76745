import { field, parseJson } from '../../../deploy/local/demonstration/status-view.ts';
import type { Certificates } from '../../../deploy/local/identity/make-certificates.ts';
import { createReceiver } from '../../../deploy/local/receiver/receiver.ts';
import { eventually } from '../eventually.ts';
import { OUTSIDE, serveOutside } from '../outside.ts';

const MAX = { events: 20_000, characters: 48 * 1024 * 1024 };

/** A supplier's webhook receiver. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver(certificates: Certificates) {
  let secret: string | undefined;
  const { webhooks, events } = createReceiver({ suppliers: [], secretOf: () => secret, max: MAX });
  await serveOutside('receiver', certificates, webhooks);
  return {
    url: `https://${OUTSIDE.receiver.host}/trial/sandbox`,
    /** Sets the secret that webhooks are signed with. */
    trust(known: string): void {
      secret = known;
    },
    /** Resolves to the body of the first verified webhook whose data `wanted` accepts. */
    awaited: (wanted: (data: unknown) => boolean, withinMs: number): Promise<string> =>
      eventually(withinMs, async () => {
        const event = events().find(
          ({ verified, rawBody }) => verified && wanted(field(parseJson(rawBody), 'data')),
        );
        if (!event) throw new Error('no verified webhook arrived');
        return event.rawBody;
      }),
  };
}
