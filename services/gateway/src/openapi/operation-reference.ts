import type { Scope } from '@supplier/proto/common/v1/principal';
import type { TSchema } from 'typebox';
import type { PublicCode } from '../errors/error-table.ts';
import type { Example, Examples } from './document-types.ts';

/** A route of the public API as described by the reference. */
export interface DescribedRoute {
  readonly method: 'GET' | 'POST';
  /** Path as in the contract; a parameter is written `:name` and matches one segment. */
  readonly path: string;
  /** The principal needs any one of these scopes. */
  readonly anyScope: readonly Scope[];
  readonly reference: OperationReference;
}

/** Reference text of an operation, in addition to its method, path and scopes. */
export interface OperationReference {
  /** Operation name in generated clients; never changes once published. */
  readonly id: string;
  /** Short title for lists. */
  readonly summary: string;
  /** Paragraphs of plain text, separated by blank lines. */
  readonly description: string;
  /** The same schema that validates the body, with the configured screening provider. */
  readonly body?: (screeningProvider: string) => TSchema;
  readonly bodyExamples?: (screeningProvider: string) => Examples;
  /** The same schema that validates the decoded query. */
  readonly query?: TSchema;
  /** Examples of path and query parameters, by name. */
  readonly parameterExamples?: Readonly<Record<string, string>>;
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerReference>>;
  /** Every error code of the operation, ordered by status. */
  readonly errors: readonly PublicCode[];
}

export interface AnswerReference {
  readonly description: string;
  readonly schema: TSchema;
  /** Schema name in generated clients. */
  readonly schemaName: string;
  readonly examples: Readonly<Record<string, Example>>;
}
