import { JourneyLinkKind, JourneyLinkState } from '@supplier/proto/submission/v1/journey_links';
import type { Page } from './layout.ts';

const ASK_FOR_ANOTHER = 'Please ask the company that sent you here for a new link.';

export function openingPage(kind: JourneyLinkKind, expiresAt: Date): Page {
  const until = `This link works once, until ${written(expiresAt)}.`;
  switch (kind) {
    case JourneyLinkKind.ARRIVAL:
      return {
        title: 'Continue your application',
        paragraphs: ['We have received your details. Continue when you are ready.', until],
        button: 'Continue',
      };
    case JourneyLinkKind.HANDOFF:
      return {
        title: 'The next step of your application',
        paragraphs: ['Everything is ready. Continue when you are.', until],
        button: 'Continue',
      };
    case JourneyLinkKind.UNSPECIFIED:
      throw new Error('invariant violated: journey link without a kind');
    default:
      return kind satisfies never;
  }
}

/** Returns the page that explains why a link no longer works; undefined while it works. */
export function closedPage(state: JourneyLinkState): Page | undefined {
  switch (state) {
    case JourneyLinkState.USABLE:
      return undefined;
    case JourneyLinkState.USED:
      return {
        title: 'This link has been used',
        paragraphs: ['A link works once, and this one has already been used.', ASK_FOR_ANOTHER],
      };
    case JourneyLinkState.EXPIRED:
      return {
        title: 'This link has expired',
        paragraphs: ['Links work for a limited time.', ASK_FOR_ANOTHER],
      };
    case JourneyLinkState.ENDED:
      return {
        title: 'This link has ended',
        paragraphs: ['You cannot continue this application here.'],
      };
    case JourneyLinkState.UNSPECIFIED:
      throw new Error('invariant violated: journey link without a state');
    default:
      return state satisfies never;
  }
}

/** Shown after redemption when no journey application is configured. */
export const CONFIRMATION: Page = {
  title: 'Thank you',
  paragraphs: ['You are all set. We will be in touch about the next step.', 'You can close this page.'],
};

export const UNKNOWN: Page = {
  title: 'This link is invalid',
  paragraphs: ['The address may be incomplete. Some programs cut long links.', ASK_FOR_ANOTHER],
};

export const UNAVAILABLE: Page = {
  title: 'Please try again in a moment',
  paragraphs: ['This page is not available right now. Open your link again in a minute.'],
};

const CLOCK = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

const written = (time: Date): string =>
  `<time datetime="${time.toISOString()}">${CLOCK.format(time)} UTC</time>`;
