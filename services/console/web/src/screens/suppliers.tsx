/** To be built. */
export function SuppliersScreen() {
  return <h1>Suppliers</h1>;
}
