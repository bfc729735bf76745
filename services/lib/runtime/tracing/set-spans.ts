import { parseTraceParent } from '../request-context/index.ts';
import { type Attributes, anyFailure, isTracing, openSpan, type SpanFacts } from './spans.ts';

export interface SetMember {
  /** The `traceparent` of its cause; empty if that was not traced. */
  readonly parent: string;
  readonly name: string;
  readonly attributes: Attributes;
  /** For an event, when it was published. */
  readonly publishedAt?: Date | undefined;
}

export interface OpenSet {
  /** For each member, in order, the `traceparent` for its effects. */
  readonly traceParents: readonly string[];
  end(error?: unknown): void;
}

/**
 * Starts work on a set, with a span in each member's own trace. If there are several, they are linked with one for the
 * set, which is sampled if a member is. Undefined if there is nothing to trace.
 */
export function openSet(
  name: string,
  { kind, attributes = {} }: SpanFacts,
  membersOf: () => readonly SetMember[],
): OpenSet | undefined {
  if (!isTracing()) return undefined;
  const members = membersOf();
  const sampled = members.filter(({ parent }) => parseTraceParent(parent)?.isSampled);
  const links = sampled.map(({ parent }) => parent);
  const set =
    sampled.length > 0 && members.length > 1 ? openSpan(name, { kind, attributes }, { links }) : undefined;
  const linkToSet = set ? [set.traceParent] : [];
  const spans = members.map((member) => {
    if (member.parent === '') return undefined;
    const facts = { kind, attributes: member.attributes };
    const span = openSpan(member.name, facts, { parent: member.parent, links: linkToSet });
    if (span && member.publishedAt) span.note('published', member.publishedAt);
    return span;
  });
  if (!set && !spans.some(Boolean)) return undefined;
  return {
    traceParents: members.map(({ parent }, place) => spans[place]?.traceParent ?? parent),
    end(error) {
      const failure = error === undefined ? undefined : anyFailure(error);
      for (const span of spans) span?.end(failure);
      set?.end(failure);
    },
  };
}
