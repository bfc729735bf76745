import { randomBytes } from 'node:crypto';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { type JourneyLinkKind, JourneyLinkState } from '@supplier/proto/submission/v1/journey_links';
import type { SubmissionState } from './submission.ts';

/** 256 random bits, so that a link cannot be guessed. */
const JOURNEY_TOKEN_BYTES = 32;

export interface JourneyLinkFacts {
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
  readonly endedAt: Date | null;
}

/** A link with its opened token, which is a bearer secret. */
export interface OpenJourneyLink extends JourneyLinkFacts {
  readonly token: string;
}

/** A link to record: the `number`th of its kind. */
export interface NewJourneyLink extends OpenJourneyLink {
  readonly id: string;
  readonly submissionId: SubmissionId;
  readonly kind: JourneyLinkKind;
  readonly number: number;
  readonly createdAt: Date;
}

/** Creates a new link, which works for `hours` from `now`. */
export function newJourneyLink(facts: {
  submissionId: SubmissionId;
  kind: JourneyLinkKind;
  number: number;
  now: Date;
  hours: number;
}): NewJourneyLink {
  const { submissionId, kind, number, now, hours } = facts;
  return {
    id: newId(),
    token: randomBytes(JOURNEY_TOKEN_BYTES).toString('base64url'),
    submissionId,
    kind,
    number,
    createdAt: now,
    expiresAt: new Date(now.getTime() + hours * 3_600_000),
    usedAt: null,
    endedAt: null,
  };
}

/** Returns the state of a link at `now`. It works until just before it expires. */
export function journeyLinkState(link: JourneyLinkFacts, now: Date): JourneyLinkState {
  if (link.usedAt) return JourneyLinkState.USED;
  if (link.endedAt) return JourneyLinkState.ENDED;
  return link.expiresAt > now ? JourneyLinkState.USABLE : JourneyLinkState.EXPIRED;
}

/**
 * Reports whether a submission has a handoff link: it is accepted, and its account was enrolled for documents first
 * when it was received.
 */
export function isHandedOff({ status, enrolments }: Pick<SubmissionState, 'status' | 'enrolments'>): boolean {
  return status === Status.ACCEPTED && enrolments?.documentFirst === true;
}

/** Returns the public URL of a link, on the pages of its submission's environment. */
export function journeyUrl(
  pagesUrls: { readonly sandbox: string; readonly production: string },
  environment: Environment,
  token: string,
): string {
  const base = environment === Environment.SANDBOX ? pagesUrls.sandbox : pagesUrls.production;
  return `${base}/journey/${token}`;
}
