/** To be built. */
export function MoneyScreen() {
  return <h1>Money</h1>;
}
