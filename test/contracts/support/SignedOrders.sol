// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {FiatToken} from "../../../scripts/stack/contracts/authorization/FiatToken.sol";
import {Permit2} from "../../../scripts/stack/contracts/authorization/Permit2.sol";
import {IDepositRouter, Order, Step} from "./IDepositRouter.sol";
import {RouterTest} from "./RouterTest.sol";
import {OpenZeppelinVault} from "./Vaults.sol";

/// @notice A wallet contract that accepts its owner's signature, bare or with bytes around it (ERC-1271).
contract ContractWallet {
    address private immutable OWNER;
    uint256 private immutable EXTRA;

    constructor(address owner, uint256 extra) {
        (OWNER, EXTRA) = (owner, extra);
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65 + EXTRA) return 0xffffffff;
        address signer =
            ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
        return signer == OWNER ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function approve(FiatToken token, address spender) external {
        token.approve(spender, type(uint256).max);
    }
}

/// @notice What a wallet signs, computed a second time from the published types.
abstract contract SignedOrders is RouterTest {
    uint256 internal constant OWNER_KEY = 0xa11ce;
    string internal constant ORDER_TYPE =
        "Order(address tokenIn,uint256 amountIn,uint256 minIn,uint256 nativeFee,address tokenOut,address receiver,uint256 minOut,uint256 minOutPerIn,uint256 deadline,bool direct,address refundTo,bytes32 ref,bytes32 partnerId,uint8 partnerType,bytes32 stepsHash,bytes32 sweepHash)";

    address internal owner = vm.addr(OWNER_KEY);
    FiatToken internal usdc;
    OpenZeppelinVault internal fiatVault;
    Permit2 internal permit2 = Permit2(PERMIT2);

    function setUp() public virtual override {
        super.setUp();
        usdc = new FiatToken("USD Coin", "USDC", 6, "2");
        fiatVault = new OpenZeppelinVault(address(usdc), 0);
        usdc.mint(owner, 1_000e6);
        vm.etch(PERMIT2, address(new Permit2()).code);
    }

    function signedOrder(uint256 amount) internal view returns (Order memory d) {
        d = depositOf(address(usdc), amount, address(fiatVault));
        (d.receiver, d.refundTo, d.deadline) = (owner, carol, block.timestamp + 600);
    }

    function signedSteps() internal view returns (Step[] memory) {
        return one(vaultStep(address(usdc), address(fiatVault), owner));
    }

    function hashOf(Order memory d, Step[] memory steps, address[] memory sweep) internal pure returns (bytes32) {
        bytes memory head = abi.encode(keccak256(bytes(ORDER_TYPE)), d);
        return keccak256(bytes.concat(head, keccak256(abi.encode(steps)), keccak256(abi.encode(sweep))));
    }

    function digestOf(bytes32 hash) internal view returns (bytes32) {
        bytes32 separator = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Causeway DepositRouter"),
                keccak256("1"),
                block.chainid,
                address(router)
            )
        );
        return keccak256(abi.encodePacked(hex"1901", separator, hash));
    }

    function authorization(address from, Order memory d, Step[] memory steps, address[] memory sweep)
        internal
        view
        returns (bytes memory)
    {
        bytes32 hash = keccak256(
            abi.encode(
                usdc.RECEIVE_WITH_AUTHORIZATION_TYPEHASH(),
                from,
                address(router),
                d.amountIn,
                0,
                d.deadline + 1,
                digestOf(hashOf(d, steps, sweep))
            )
        );
        return signed(keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), hash)));
    }

    function witness(Order memory d, Step[] memory steps, address[] memory sweep) internal view returns (bytes memory) {
        bytes32 hash = hashOf(d, steps, sweep);
        string memory types = string.concat(
            "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Order witness)",
            ORDER_TYPE,
            "TokenPermissions(address token,uint256 amount)"
        );
        bytes32 permitted = keccak256(
            abi.encode(keccak256("TokenPermissions(address token,uint256 amount)"), d.tokenIn, d.amountIn)
        );
        bytes32 whole = keccak256(
            abi.encode(
                keccak256(bytes(types)), permitted, address(router), uint256(digestOf(hash)), d.deadline, hash
            )
        );
        return signed(keccak256(abi.encodePacked(hex"1901", permit2.DOMAIN_SEPARATOR(), whole)));
    }

    function permitOf(address spender, uint256 value, uint256 deadline) internal view returns (bytes memory) {
        bytes32 hash = keccak256(
            abi.encode(usdc.PERMIT_TYPEHASH(), owner, spender, value, usdc.nonces(owner), deadline)
        );
        return signed(keccak256(abi.encodePacked(hex"1901", usdc.DOMAIN_SEPARATOR(), hash)));
    }

    function signed(bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(OWNER_KEY, digest);
        return abi.encodePacked(r, s, v);
    }

    function approvePermit2() internal {
        vm.prank(owner);
        usdc.approve(PERMIT2, MAX);
    }

    /// @dev A call of one of the two entries that anybody may submit.
    function submission(bool byPermit2, Order memory d, Step[] memory steps, address[] memory sweep, bytes memory sig)
        internal
        view
        returns (bytes memory)
    {
        return submissionOf(byPermit2, owner, d, steps, sweep, sig);
    }

    function submissionOf(
        bool byPermit2,
        address payer,
        Order memory d,
        Step[] memory steps,
        address[] memory sweep,
        bytes memory sig
    ) internal pure returns (bytes memory) {
        return byPermit2
            ? abi.encodeCall(IDepositRouter.executeWithPermit2, (d, steps, sweep, payer, sig))
            : abi.encodeCall(IDepositRouter.executeWithAuthorization, (d, steps, sweep, payer, sig));
    }

    function signatureOf(bool byPermit2, Order memory d, Step[] memory steps, address[] memory sweep)
        internal
        view
        returns (bytes memory)
    {
        return byPermit2 ? witness(d, steps, sweep) : authorization(owner, d, steps, sweep);
    }

    function submit(bytes memory data) internal returns (bool done, bytes memory answer) {
        vm.prank(mallory);
        return address(router).call(data);
    }

    function authorizationFailed(bytes memory reason) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IDepositRouter.AuthorizationFailed.selector, reason);
    }
}
