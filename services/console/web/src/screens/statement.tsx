/** To be built. */
export function StatementScreen() {
  return <h1>Statement</h1>;
}
