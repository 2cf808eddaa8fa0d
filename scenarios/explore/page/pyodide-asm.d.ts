/** The compiled part of Pyodide has no types of its own. */

declare const createPyodideModule: any;
export default createPyodideModule;
