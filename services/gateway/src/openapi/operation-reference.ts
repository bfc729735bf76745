import type { Scope } from '@supplier/proto/common/v1/principal';
import type { TSchema } from 'typebox';
import type { PublicCode } from '../errors/error-table.ts';
import type { Example, Examples } from './document-types.ts';

/** One route of the public API as the reference describes it. */
export interface DescribedRoute {
  readonly method: 'GET' | 'POST';
  /** As in the contract; a parameter is written `:name` and fills one segment. */
  readonly path: string;
  /** The request may do any one of these, or it is refused. */
  readonly anyScope: readonly Scope[];
  /** What the published reference says of it. */
  readonly reference: OperationReference;
}

/** What the reference says of one operation, beyond its method, path and scopes. */
export interface OperationReference {
  /** The operation's name in generated clients; never changes once published. */
  readonly id: string;
  /** A few words, for lists. */
  readonly summary: string;
  /** Paragraphs of plain text, a blank line between them. */
  readonly description: string;
  /** The very schema that validates the body, with the configured screening provider. */
  readonly body?: (screeningProvider: string) => TSchema;
  readonly bodyExamples?: (screeningProvider: string) => Examples;
  /** The very schema that validates the decoded query. */
  readonly query?: TSchema;
  /** Examples of parameters in path and query, by name. */
  readonly parameterExamples?: Readonly<Record<string, string>>;
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerReference>>;
  /** Every code that the operation can be refused with, in the order of their statuses. */
  readonly errors: readonly PublicCode[];
}

export interface AnswerReference {
  readonly description: string;
  readonly schema: TSchema;
  /** The schema's name in generated clients. */
  readonly schemaName: string;
  readonly examples: Readonly<Record<string, Example>>;
}
