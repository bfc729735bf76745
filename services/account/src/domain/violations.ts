/** One thing that is wrong with a request: where, in the contract's field names, and a sentence without any value. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}
