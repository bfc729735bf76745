/** To be built. */
export function SupplierScreen() {
  return <h1>Supplier</h1>;
}
