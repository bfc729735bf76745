import { randomUUID } from 'node:crypto';
import { Scope } from '@supplier/proto/common/v1/principal';
import {
  type Body,
  correction,
  delivery,
  enquiry,
  finalization,
  minimalPromotion,
  newReference,
  upload,
} from './enquiries.ts';
import { CREATE_PATH, DELIVERY_PATH, FINALIZE_PATH, UPLOAD_URL_PATH } from './http.ts';

/** One public operation, copied by hand from the contract's tables of endpoints and scopes. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  /** Returns a valid path for a resource that does not exist. */
  path(): string;
  /** Returns a valid body; absent if the operation takes none. */
  body?(): Body;
  /** Any one of these scopes grants access. */
  readonly scopes: readonly Scope[];
  /** The status of an authorised request for a resource that does not exist. */
  readonly permitted: 200 | 202 | 404;
}

/** The eight operations. */
export const OPERATIONS = {
  'create-submission': {
    method: 'POST',
    path: () => CREATE_PATH,
    body: () => enquiry(),
    scopes: [Scope.CREATE_APPLICATION],
    permitted: 202,
  },
  'create-delivery-submission': {
    method: 'POST',
    path: () => DELIVERY_PATH,
    body: () => delivery(),
    scopes: [Scope.CREATE_BASIC],
    permitted: 200,
  },
  'promote-submission': {
    method: 'POST',
    path: () => `${CREATE_PATH}/${randomUUID()}/promotion`,
    body: () => minimalPromotion(),
    scopes: [Scope.PROMOTE],
    permitted: 404,
  },
  'correct-contact': {
    method: 'POST',
    path: () => `${CREATE_PATH}/${randomUUID()}/contact-corrections`,
    body: () => correction(),
    scopes: [Scope.CORRECT],
    permitted: 404,
  },
  'get-submission-by-reference': {
    method: 'GET',
    path: () => `${CREATE_PATH}?external_reference=${newReference()}`,
    scopes: [Scope.READ],
    permitted: 404,
  },
  'get-submission': {
    method: 'GET',
    path: () => `${CREATE_PATH}/${randomUUID()}`,
    scopes: [Scope.READ],
    permitted: 404,
  },
  'create-upload-url': {
    method: 'POST',
    path: () => UPLOAD_URL_PATH,
    body: () => upload(),
    scopes: [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION],
    permitted: 200,
  },
  'finalize-upload': {
    method: 'POST',
    path: () => FINALIZE_PATH,
    body: () => finalization(),
    scopes: [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION],
    permitted: 404,
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

/** Returns a row of the table, typed as an Operation. */
export const operation = (name: OperationName): Operation => OPERATIONS[name];
