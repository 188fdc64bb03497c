// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Executor} from "./Executor.sol";
import {GuardedCalls} from "./GuardedCalls.sol";
import {BRIDGED, EVERYTHING, IERC20, NATIVE, Order, PER_IN_SCALE, Step} from "./OrderTypes.sol";


/// @notice The part of Permit2 that takes a token by a signature over a whole order.
interface IPermit2 {
    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    function permitWitnessTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata transferDetails,
        address owner,
        bytes32 witness,
        string calldata witnessTypeString,
        bytes calldata signature
    ) external;
}

/// @title DepositRouter: exchanges one token for another through steps and verifies that the receiver got it
/// @notice The only contract of Causeway that users approve. Asset in and shares out is a deposit, shares in and asset
/// out a withdrawal, shares in and other shares out a move. It has no owner, upgrade, pause, fee or allow-list, and no
/// storage but a reentrancy lock. The contract that holds allowances makes no caller-chosen call, and the contract
/// that makes calls holds no allowance: the Router takes money only from msg.sender, or from an owner who signed the
/// whole order, and the steps run in a new single-use clone.
/// @dev Same address on every chain: no constructor arguments, evm paris, deployed by CREATE2 with a zero salt.
/// Whoever accepts an order must trust the source of its steps, tokens and floors; the Router enforces only that the
/// receiver gains at least the floor (BRIDGED: that the bridge takes its minimum), that the payer pays no more than
/// `amountIn` and `nativeFee`, and that leftovers of the tokens that the call names reach `refundTo`. A receiver that
/// passes its output on at once shows no rise and is refused. Errors: OrderErrors.
contract DepositRouter is GuardedCalls {
    uint256 private constant UNLOCKED = 1;
    uint256 private constant LOCKED = 2;
    /// @dev A signature that lives longer is refused, so that none can be kept for later.
    uint256 private constant MAX_SIGNED_LIFE = 1 days;
    address private constant PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant NAME_HASH = keccak256("Causeway DepositRouter");
    bytes32 private constant VERSION_HASH = keccak256("1");
    string private constant ORDER_TYPE =
        "Order(address tokenIn,uint256 amountIn,uint256 minIn,uint256 nativeFee,address tokenOut,address receiver,uint256 minOut,uint256 minOutPerIn,uint256 deadline,bool direct,address refundTo,bytes32 ref,bytes32 partnerId,uint8 partnerType,bytes32 stepsHash,bytes32 sweepHash)";
    bytes32 private constant ORDER_TYPEHASH = keccak256(bytes(ORDER_TYPE));

    /// @notice The Executor that every order clones.
    Executor public immutable executorImplementation = new Executor();
    // In regular storage, because transient storage would exclude older chains. Zero counts as unlocked too, so that a
    // simulation can override the code on a chain without the Router.
    uint256 private _lock = UNLOCKED;

    /// @notice An order ran. Amounts in base units; `amountIn` is the amount that reached the executor.
    /// @dev Anyone can emit this with fake tokens and a copied reference: match `ref`, both tokens and the receiver
    /// before crediting it.
    /// @param ref reference given by the order
    /// @param partnerId attribution given by the order
    /// @param receiver receiver given by the order; its balance increased, unless BRIDGED
    /// @param payer who paid: msg.sender, or the owner who signed
    /// @param tokenIn token of the payment; zero = native
    /// @param tokenOut token whose balance was measured; zero = native; BRIDGED when the last step bridged
    /// @param amountIn measured amount of `tokenIn` that reached the executor
    /// @param amountOut measured increase of the receiver's balance of `tokenOut`; what the bridge took when BRIDGED
    /// @param partnerType attribution given by the order
    event OrderExecuted(
        bytes32 indexed ref,
        bytes32 indexed partnerId,
        address indexed receiver,
        address payer,
        address tokenIn,
        address tokenOut,
        uint256 amountIn,
        uint256 amountOut,
        uint8 partnerType
    );

    modifier locked() {
        // The output of an order nested in another one's steps would count for both.
        if (_lock == LOCKED) revert Reentered();
        _lock = LOCKED;
        _;
        _lock = UNLOCKED;
    }

    /// @notice Takes `order.amountIn` of `order.tokenIn` from msg.sender, runs `steps` with it, and reverts entirely
    /// unless `order.receiver` gained at least the floor of `order.tokenOut`, or a bridge (BRIDGED) took its minimum.
    /// @dev It never swallows a failure, because a bridge refunds its user only when the call reverts.
    /// @param order payment and minimum result; fields and units at Order
    /// @param steps calls to make with it, in order
    /// @param sweep tokens, besides those of the order and of the steps' approvals, that a step may leave behind
    /// @return amountOut the output as logged, in base units of `order.tokenOut`; BRIDGED: of the bridge's `needToken`
    function execute(Order calldata order, Step[] calldata steps, address[] calldata sweep)
        external
        payable
        locked
        returns (uint256 amountOut)
    {
        _check(order);
        return _executePaid(order);
    }

    /// @notice `execute` after an ERC-2612 permit of msg.sender: for `order.amountIn`, until `order.deadline`.
    /// @param signature 65 bytes (r, s, v), or the bytes of a contract account where the token takes them
    /// @dev A permit that fails is no failure, because anybody may have run it before: the allowance decides.
    function executeWithPermit(
        Order calldata order,
        Step[] calldata steps,
        address[] calldata sweep,
        bytes calldata signature
    ) external payable locked returns (uint256 amountOut) {
        _check(order);
        if (order.tokenIn == NATIVE) revert NativeInForbidden();
        _call(order.tokenIn, 0, _permitOf(order, signature));
        return _executePaid(order);
    }

    /// @notice Runs an order that `owner` signed as the nonce of an ERC-3009 authorisation; anybody may submit it.
    /// @param owner who pays; the authorisation is for `order.amountIn` to the Router, validAfter 0, validBefore
    /// `order.deadline` + 1, nonce = the EIP-712 digest of the order
    /// @param signature of that authorisation, for the token's domain
    function executeWithAuthorization(
        Order calldata order,
        Step[] calldata steps,
        address[] calldata sweep,
        address owner,
        bytes calldata signature
    ) external locked returns (uint256 amountOut) {
        _checkSigned(order);
        address clone = _clone(order);
        uint256 held = _balanceOf(order.tokenIn, address(this));
        bytes32 nonce = _digestOf(_hashOf(order, steps, sweep));
        if (!_call(order.tokenIn, 0, _authorizationOf(order, owner, nonce, signature))) {
            revert AuthorizationFailed(_reason());
        }
        // Only what arrived: a token without the function may swallow the call, and the Router may hold a gift.
        uint256 received = _rise(_balanceOf(order.tokenIn, address(this)), held);
        if (received == 0) revert AuthorizationFailed("");
        return _run(order, clone, owner, _fund(order, clone, abi.encodeCall(IERC20.transfer, (clone, received))));
    }

    /// @notice Runs an order that `owner` signed as the witness of a Permit2 transfer; anybody may submit it.
    /// @param owner who pays and has approved Permit2; the transfer is of `order.amountIn`, its nonce the order's
    /// EIP-712 digest as a number, its deadline the order's
    /// @param signature of the PermitWitnessTransferFrom with the order as `witness`, for Permit2's domain
    function executeWithPermit2(
        Order calldata order,
        Step[] calldata steps,
        address[] calldata sweep,
        address owner,
        bytes calldata signature
    ) external locked returns (uint256 amountOut) {
        _checkSigned(order);
        address clone = _clone(order);
        uint256 before = _balanceOf(order.tokenIn, clone);
        bytes memory data = _transferOf(order, clone, owner, _hashOf(order, steps, sweep), signature);
        if (!_call(PERMIT2, 0, data)) revert AuthorizationFailed(_reason());
        uint256 amountIn = _rise(_balanceOf(order.tokenIn, clone), before);
        if (amountIn == 0) revert AuthorizationFailed("");
        return _run(order, clone, owner, amountIn);
    }

    function _check(Order calldata order) private view {
        if (block.timestamp > order.deadline) revert DeadlinePassed(order.deadline, block.timestamp);
        if (order.amountIn == 0) revert ZeroAmount();
        if (order.minIn == 0) revert ZeroMinIn();
        if (order.receiver == address(0)) revert ZeroReceiver();
        if (order.refundTo == address(0)) revert ZeroRefundTo();
        if (order.tokenIn == order.tokenOut) revert SameToken(order.tokenIn);
        bool floored = order.minOut != 0 || order.minOutPerIn != 0;
        if (order.tokenOut == BRIDGED) {
            if (floored) revert BridgedFloor();
        } else if (!floored) {
            revert ZeroMinOut();
        }
        if (order.tokenOut == NATIVE && order.nativeFee != 0) revert NativeFeeForbidden();
    }

    /// @dev What a signature cannot bind is refused: native money, a fee that somebody else adds, an open amount.
    function _checkSigned(Order calldata order) private view {
        _check(order);
        if (order.tokenIn == NATIVE) revert NativeInForbidden();
        if (order.amountIn == EVERYTHING) revert EverythingForbidden();
        if (order.nativeFee != 0) revert NativeFeeForbidden();
        uint256 latest = block.timestamp + MAX_SIGNED_LIFE;
        if (order.deadline > latest) revert DeadlineTooFar(order.deadline, latest);
    }

    /// @dev The only transferFrom that the Router makes, and its owner is msg.sender.
    function _executePaid(Order calldata order) private returns (uint256) {
        uint256 amount = _amountOf(order);
        address clone = _clone(order);
        if (order.tokenIn != NATIVE) {
            amount = _fund(order, clone, abi.encodeCall(IERC20.transferFrom, (msg.sender, clone, amount)));
        }
        return _run(order, clone, msg.sender, amount);
    }

    /// @dev The amount to take, with EVERYTHING replaced by min(balance, allowance); checks msg.value.
    function _amountOf(Order calldata order) private view returns (uint256 amount) {
        amount = order.amountIn;
        bool native = order.tokenIn == NATIVE;
        if (amount == EVERYTHING) {
            amount = native ? _rise(msg.value, order.nativeFee) : _available(order.tokenIn);
            if (amount == 0) revert ZeroAmount();
        }
        uint256 expected = native ? amount + order.nativeFee : order.nativeFee;
        if (msg.value != expected) revert NativeValueMismatch(msg.value, expected);
    }

    function _available(address token) private view returns (uint256) {
        uint256 held = _balanceOf(token, msg.sender);
        uint256 allowed = _allowance(token, msg.sender, address(this));
        return held < allowed ? held : allowed;
    }

    /// @dev EIP-1167. CREATE, not CREATE2: an address from a nonce is never reused, so nothing can have acted as the
    /// clone before. Its address is predictable, but that only allows sending money to it.
    function _clone(Order calldata order) private returns (address clone) {
        address implementation = address(executorImplementation);
        assembly ("memory-safe") {
            mstore(0, or(shr(232, shl(96, implementation)), 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000))
            mstore(32, or(shl(120, implementation), 0x5af43d82803e903d91602b57fd5bf3))
            clone := create(0, 9, 55)
        }
        if (clone == address(0)) revert CloneFailed();
        if (_isOurs(order.receiver, clone)) revert ReceiverForbidden(order.receiver);
        if (_isOurs(order.refundTo, clone)) revert RefundToForbidden(order.refundTo);
    }

    function _isOurs(address account, address clone) private view returns (bool) {
        return account == address(this) || account == address(executorImplementation) || account == clone;
    }

    /// @dev Makes the token's call that pays the clone and measures what arrived, because tokens may take fees.
    function _fund(Order calldata order, address clone, bytes memory data) private returns (uint256) {
        uint256 before = _balanceOf(order.tokenIn, clone);
        _callToken(order.tokenIn, data);
        return _rise(_balanceOf(order.tokenIn, clone), before);
    }

    function _run(Order calldata order, address clone, address payer, uint256 amountIn)
        private
        returns (uint256 amountOut)
    {
        if (amountIn < order.minIn) revert InputBelowMinimum(amountIn, order.minIn);
        amountOut = _forward(clone);
        if (order.tokenOut != BRIDGED) _checkFloor(order, amountIn, amountOut);
        emit OrderExecuted(
            order.ref,
            order.partnerId,
            order.receiver,
            payer,
            order.tokenIn,
            order.tokenOut,
            amountIn,
            amountOut,
            order.partnerType
        );
    }

    /// @dev Calls `run` of the clone with the calldata of this call: order, steps and sweep stand at the same places
    /// in every entry, and both contracts read them in the same way. The clone reverts with our own errors only.
    function _forward(address clone) private returns (uint256 amountOut) {
        bytes4 selector = Executor.run.selector;
        bool ok;
        assembly ("memory-safe") {
            let data := mload(0x40)
            calldatacopy(data, 0, calldatasize())
            mstore(data, or(selector, and(mload(data), 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffff)))
            ok := call(gas(), clone, callvalue(), data, calldatasize(), 0, 32)
            amountOut := mload(0)
            if and(iszero(ok), gt(returndatasize(), 0)) {
                returndatacopy(data, 0, returndatasize())
                revert(data, returndatasize())
            }
        }
        if (!ok) revert ExecutorFailed();
    }

    /// @dev The output must be at least max(minOut, amountIn x minOutPerIn / 10^27), the quotient rounded up.
    function _checkFloor(Order calldata order, uint256 amountIn, uint256 amountOut) private pure {
        uint256 floor = order.minOut;
        uint256 perIn = order.minOutPerIn;
        if (perIn != 0) {
            (bool fits, uint256 least, uint256 remainder) = _mulDiv(amountIn, perIn, PER_IN_SCALE);
            if (!fits) revert OutputBelowMinimum(amountOut, type(uint256).max);
            if (remainder != 0) least += 1;
            if (floor < least) floor = least;
        }
        if (amountOut < floor) revert OutputBelowMinimum(amountOut, floor);
    }

    /// @dev EIP-712 struct hash of the order, with its steps and sweep list as hashes of their ABI encodings.
    function _hashOf(Order calldata order, Step[] calldata steps, address[] calldata sweep)
        private
        pure
        returns (bytes32)
    {
        return keccak256(
            abi.encode(ORDER_TYPEHASH, order, keccak256(abi.encode(steps)), keccak256(abi.encode(sweep)))
        );
    }

    /// @dev EIP-712 digest in the Router's domain; computed anew each time, so that a fork of a chain changes it.
    function _digestOf(bytes32 orderHash) private view returns (bytes32) {
        bytes32 separator =
            keccak256(abi.encode(DOMAIN_TYPEHASH, NAME_HASH, VERSION_HASH, block.chainid, address(this)));
        return keccak256(abi.encodePacked(hex"1901", separator, orderHash));
    }

    function _permitOf(Order calldata order, bytes calldata signature) private view returns (bytes memory) {
        (uint256 value, uint256 deadline) = (order.amountIn, order.deadline);
        if (signature.length != 65) {
            return abi.encodeWithSignature(
                "permit(address,address,uint256,uint256,bytes)", msg.sender, address(this), value, deadline, signature
            );
        }
        (uint8 v, bytes32 r, bytes32 s) = _split(signature);
        return abi.encodeWithSignature(
            "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
            msg.sender,
            address(this),
            value,
            deadline,
            v,
            r,
            s
        );
    }

    function _authorizationOf(Order calldata order, address owner, bytes32 nonce, bytes calldata signature)
        private
        view
        returns (bytes memory)
    {
        (uint256 value, uint256 validBefore) = (order.amountIn, order.deadline + 1);
        if (signature.length != 65) {
            return abi.encodeWithSignature(
                "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)",
                owner,
                address(this),
                value,
                0,
                validBefore,
                nonce,
                signature
            );
        }
        (uint8 v, bytes32 r, bytes32 s) = _split(signature);
        return abi.encodeWithSignature(
            "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
            owner,
            address(this),
            value,
            0,
            validBefore,
            nonce,
            v,
            r,
            s
        );
    }

    function _transferOf(
        Order calldata order,
        address clone,
        address owner,
        bytes32 orderHash,
        bytes calldata signature
    ) private view returns (bytes memory) {
        return abi.encodeCall(
            IPermit2.permitWitnessTransferFrom,
            (
                IPermit2.PermitTransferFrom({
                    permitted: IPermit2.TokenPermissions({token: order.tokenIn, amount: order.amountIn}),
                    nonce: uint256(_digestOf(orderHash)),
                    deadline: order.deadline
                }),
                IPermit2.SignatureTransferDetails({to: clone, requestedAmount: order.amountIn}),
                owner,
                orderHash,
                string.concat("Order witness)", ORDER_TYPE, "TokenPermissions(address token,uint256 amount)"),
                signature
            )
        );
    }

    function _split(bytes calldata signature) private pure returns (uint8 v, bytes32 r, bytes32 s) {
        (r, s) = (bytes32(signature[:32]), bytes32(signature[32:64]));
        v = uint8(signature[64]);
    }
}
