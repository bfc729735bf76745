/** The height of a row before any is measured. */
const ROW_PX = 37;

/** The mean height of the rows of a list. A row that is measured again replaces its earlier height. */
export class MeanHeight {
  readonly #heights = new Map<string, number>();
  #sum = 0;

  get mean(): number {
    return this.#heights.size === 0 ? ROW_PX : this.#sum / this.#heights.size;
  }

  measured(row: string, px: number): void {
    this.#sum += px - (this.#heights.get(row) ?? 0);
    this.#heights.set(row, px);
  }
}
