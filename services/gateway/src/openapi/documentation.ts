import type { TSchema } from 'typebox';
import type { PublicCode } from '../errors/error-table.ts';
import type { Example, Examples } from './document-types.ts';

/** What the reference says of one operation, beyond its method, path and scopes. */
export interface OperationDocumentation {
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
  readonly answers: Readonly<Record<number, DocumentedAnswer>>;
  /** Every code that the operation can be refused with, in the order of their statuses. */
  readonly errors: readonly PublicCode[];
}

export interface DocumentedAnswer {
  readonly description: string;
  readonly schema: TSchema;
  /** The schema's name in generated clients. */
  readonly schemaName: string;
  readonly examples: Readonly<Record<string, Example>>;
}
