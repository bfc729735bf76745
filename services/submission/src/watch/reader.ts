/**
 * The pending state of one stream: only the newest, however slowly it is read. It ends once, normally or with an error;
 * a state not taken by then is dropped.
 */
export class Reader<State> {
  #newest: { readonly state: State } | undefined;
  #end: { readonly error?: unknown } | undefined;
  #wake = () => {};

  /** Replaces the pending state. */
  put(state: State): void {
    this.#newest = { state };
    this.#wake();
  }

  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  /**
   * Resolves to the newest state, to 'silence' if none comes within `ms`, or to undefined at the end. Throws the error
   * that it ended with.
   */
  async take(ms: number): Promise<{ readonly state: State } | 'silence' | undefined> {
    if (!this.#newest && !this.#end) await this.#somethingWithin(ms);
    if (this.#end) {
      if (this.#end.error !== undefined) throw this.#end.error;
      return undefined;
    }
    const newest = this.#newest;
    this.#newest = undefined;
    return newest ?? 'silence';
  }

  async #somethingWithin(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
